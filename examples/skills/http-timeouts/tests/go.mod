// Fixtures are data. A module of their own keeps them out of the packages around them.
module example.com/fixtures

go 1.26.0

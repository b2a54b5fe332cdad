// A module of its own, so that the mistakes in here are not built with scanner.
module example.com/shop

go 1.26

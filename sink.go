package scanner

// Sink receives the results of a run: a log, a report in some format, a review.
// The calls are serialized. An error does not end the run, and the sink is called
// again for the skills that follow.
type Sink interface {
	// Skill receives the report of a skill and what its policy shows of it, in
	// the order of the skills, when the skill and all before it have ended. The
	// report does not change afterwards.
	Skill(report *SkillReport, sel Selection) error
	// Finish receives the end of the run, once. A run that was interrupted has
	// one too.
	Finish(run *RunReport) error
}

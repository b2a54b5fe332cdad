// Package project is what a program needs around a run of scanner: it finds the
// repository, its configuration and its skills, chooses the provider, and keeps
// the cache and the logs. The command is flags and rendering on top of it.
//
// Each step returns what the next one needs:
//
//	p, err := project.Open(ctx, project.Env{Dir: dir, Environ: os.Environ()})
//	...
//	defer p.Close()
//	plan, err := p.Plan(ctx, project.Options{Base: "origin/main"})
//	...
//	result, err := plan.Run(ctx, sinks...)
//
// [Plan.Estimate], instead of [Plan.Run], returns what a run is expected to cost.
// [Project.Explain] and [Project.ExplainFinding] show why a file is analyzed and what a
// finding is from.
//
// [Project.Plan] plans a local run, [Project.PlanReview] the review of a pull
// request, whose configuration and skills come from a commit that its author does
// not control. The sinks receive the reports as in package scanner; with
// [Options.Fix], after the fixes were applied.
//
// [PlanMerge] makes one result of the logs of runs with [Options.Shard], which may be
// from other machines; [PlanReport] makes that of a log again.
//
// The package reads neither the environment nor the working directory, and no
// standard stream: all of that is in [Env].
package project

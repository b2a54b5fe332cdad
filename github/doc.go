// Package github says on a code host what a scan found: a review with inline
// comments, a summary comment and check runs.
//
// It works in three steps, of which the first two are pure:
//
//   - [Render] makes texts of a [Result]. What models, files and paths say is
//     untrusted: it is escaped, cannot notify anyone, and cannot pose as one of
//     the hidden markers that later runs go by. The limits of the host are kept.
//   - [NewPlan] compares what should be there with the [State] that is, and says
//     what is to be done and why. Only comments of the own account count. What
//     was posted by an earlier run is recognized by skill, path, the text of the
//     line and a similar title, so code may move and models may change their
//     words. The account of a workflow is that of all workflows of a repository,
//     so a comment that says that all is done is believed only together with a
//     check run. While a file is skipped, requests and threads about it stand, and
//     what the change itself kept from being read passes no check.
//   - [Client.Post] does it, in an order that allows the next run to go on where
//     one was cut short. When an answer gets lost, it looks whether the write was
//     done before it repeats it.
//
// A review only ever comments or requests changes; it never approves.
package github

// Package review decides what is posted about a change on a code host: inline
// comments, a summary comment and check runs. It knows no host: a [Host] reads
// the state and carries out a plan, and a [Flavor] holds the few things that
// hosts write differently.
//
// [Post] reads the [State] of a host, and has a [Plan] carried out. [NewPlan] is a
// pure function:
//
//   - It makes texts from a [Result]. Models, files and paths are untrusted: their
//     text is escaped, cannot notify anyone, and cannot pose as one of the hidden
//     markers by which later runs recognize their own comments.
//   - It compares them with the state, and lists what to do and why. Only comments
//     of the token's account count. A finding of an earlier run is recognized by
//     skill, path, the text of the line or of those around it, and the title, so code
//     may move and models may reword. What is new, fixed and still there is counted
//     from the last head whose summary was written.
//
// A thread is resolved only if the run looked at its lines again, and no finding of the
// skill is within five lines of them, unless that had a thread of its own all along.
// People decide by replying: what a person with write access answered is not started
// anew, another finding at the same place goes into the summary with a link, and the
// reply "scanner ignore <reason>" makes the summary offer the entry for
// .scanner/ignore.toml as a diff. Replies are untrusted: only [Reply.MayWrite], which the
// host sets, lets one decide anything.
//
// Three rules guard against changes and logs that want to look better than they
// are. A thread or a request for changes stays while its file, or the file it was
// renamed to, was not read. Accounts are shared by all workflows of a repository,
// so a summary comment counts as the end of a review only together with a check
// run. An untrusted result never passes a check, resolves or dismisses anything.
//
// A review only comments or requests changes; it never approves.
package review

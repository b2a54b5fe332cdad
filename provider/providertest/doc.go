// Package providertest is for tests of code that needs a language model, without a
// language model.
//
// [Scripted] is a provider in memory, for programs that embed scanner. [Server]
// is an API on the loopback, in the form of OpenAI or of Anthropic, that answers,
// and fails, as a [Script] specifies: late, with an error status, with half a body, not at all.
// Both keep the requests they got. [Conformance] is the suite that every adapter
// must pass.
package providertest

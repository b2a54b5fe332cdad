// Package github is GitHub as a code host: a client that reads the state of a pull
// request and carries out what package review plans, and the events that start
// workflows.
//
// A plan is carried out in an order that allows the next run to continue where one
// was cut short. When an answer gets lost, the client looks whether the write was
// done before it repeats it.
package github

// Package killtest proves that a request has its effect once, whatever happens
// to the server: clients make plans and launch them while the server is killed,
// at random and between each two steps of a launch, on both databases. In the end
// every key has one plan and one run, every answer that was given is true, no
// budget is lost and the audit log is whole.
//
// The proof has a negative control: a server that keeps its replies in a
// transaction of their own is caught, and so is every history that was doctored.
package killtest

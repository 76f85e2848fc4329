package runs

// Beat is what Keep does at each beat.
var Beat = (*Worker).beat

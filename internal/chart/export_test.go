package chart

// Width is how wide a text of a size is taken to be.
var Width = width

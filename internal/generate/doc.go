// Package generate writes synthetic but plausible catalogs of any size as
// content files, and changes them in place, so that every part of Palmarès can
// be tried at the sizes it must carry.
//
// Everything is drawn from a seed: the same options give the same bytes on any
// machine and with any number of processors. All tools are invented and every
// domain ends in .example.
package generate

//go:build !nowire

package wire

const enabled = true

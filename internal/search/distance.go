package search

import "math/bits"

// A signature has a bit for each letter in a word, and six bits for all other bytes. A typo changes
// at most two bits, so most words prove to be far apart without comparing letters.
type signature uint32

func signatureOf(w string) signature {
	var s signature
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 'a' && c <= 'z':
			s |= 1 << (c - 'a')
		default:
			s |= 1 << (26 + c%6)
		}
	}
	return s
}

// apart reports whether two words are certainly more than most typos apart.
func (s signature) apart(other signature, most int) bool {
	return bits.OnesCount32(uint32(s^other)) > 2*most
}

// maxDistance is the largest value of most that callers of distance use.
const maxDistance = 3

// distance returns the number of typos between two words: a letter added, left out or replaced, or
// two neighbours swapped. If there are more than most, it returns any larger number. Words are at
// most maxTerm long.
func distance(a, b string, most int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > most {
		return most + 1
	}
	for len(a) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 {
		return len(b)
	}
	// Rows of the usual table, of which only the band around the diagonal can matter.
	var rows [3][maxTerm + 1]uint8
	before, last, row := &rows[0], &rows[1], &rows[2]
	far := uint8(most + 1) //nolint:gosec // of two at most
	for j := range len(b) + 1 {
		last[j] = uint8(min(j, int(far))) //nolint:gosec // far at most
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-most), min(len(b), i+most)
		row[from-1] = far
		if from == 1 {
			row[0] = uint8(min(i, int(far))) //nolint:gosec // far at most
		}
		best := row[from-1]
		for j := from; j <= to; j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d++
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d = min(d, before[j-2]+1)
				}
			}
			d = min(d, row[j-1]+1)
			if j < i+most {
				d = min(d, last[j]+1)
			}
			row[j] = min(d, far)
			best = min(best, row[j])
		}
		if to < len(b) {
			row[to+1] = far
		}
		if best >= far {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return int(last[len(b)])
}

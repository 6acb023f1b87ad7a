package export

// Within makes the keeper keep that many bytes, and tells how many it kept before.
func (k *Keeper) Within(most int) (before int) {
	before, k.most = k.most, most
	return before
}

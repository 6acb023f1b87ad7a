package export

// Within makes the keeper keep that many bytes, and tells how many it kept before.
func (k *Keeper) Within(most int) (before int) {
	before, k.most = k.most, most
	return before
}

// Locked reports whether somebody holds the lock: nobody else gets a file meanwhile.
func (k *Keeper) Locked() bool {
	if !k.mu.TryLock() {
		return true
	}
	k.mu.Unlock()
	return false
}

package export

// Within makes the cache keep that many bytes, and tells how many it kept before.
func (k *Cache) Within(most int) (before int) {
	before, k.most = k.most, most
	return before
}

// Locked reports whether somebody holds the lock: nobody else gets a file meanwhile.
func (k *Cache) Locked() bool {
	if !k.mu.TryLock() {
		return true
	}
	k.mu.Unlock()
	return false
}

package pgtest

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	clusterPrefix = "palmares-pg-cluster-" // in dataDir, so that its files can be moved and copied within it
	// clustersKept is how many clusters stay on the machine: another checkout may have another schema.
	clustersKept = 4
)

// copyCluster copies the files of a server with a migrated database, which takes a tenth of the time of making them.
// Processes with the same schema copy the same cluster, which stays on the machine for later ones.
func (s *Server) copyCluster() error {
	schema, err := digest()
	if err != nil {
		return err
	}
	dir := filepath.Join(dataDir(), clusterPrefix+schema)
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if !exists(dir) {
		if err := s.makeCluster(dir); err != nil {
			return err
		}
		if err := removeClusters(); err != nil {
			return err
		}
	}
	if out, err := exec.Command("cp", "-a", dir, s.data).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return s.identify()
}

// makeCluster makes the files of a server with a migrated database and moves them to dir.
func (s *Server) makeCluster(dir string) error {
	initdb := s.command("initdb", "-D", s.data, "-A", "trust", "-U", "postgres", "--no-sync", "--wal-segsize=1", "-E", "UTF8", "--locale=C")
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	s.Start()
	migrate(s.tb, s.URL())
	s.end(syscall.SIGINT) // a clean shutdown, which leaves no WAL to replay
	s.cmd = nil
	return os.Rename(s.data, dir)
}

// removeClusters removes all but the newest clusters, except those that a process is copying.
func removeClusters() error {
	locks, err := filepath.Glob(filepath.Join(dataDir(), clusterPrefix+"*.lock"))
	if err != nil {
		return err
	}
	made := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(locks, func(a, b string) int { return cmp.Compare(made(b), made(a)) })
	for _, path := range locks[min(clustersKept, len(locks)):] {
		lock, err := os.Open(path)
		if err != nil {
			continue // somebody else was faster
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			err = errors.Join(os.RemoveAll(strings.TrimSuffix(path, ".lock")), os.Remove(path))
		}
		lock.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// identify gives the copy of a cluster a system identifier of its own, as initdb does, because package postgres tells
// by it whether a database has moved.
func (s *Server) identify() error {
	path := filepath.Join(s.data, "global/pg_control")
	control, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	for at := 200; at+4 <= 512; at += 4 { // look for the checksum, which follows the bytes that it covers
		if binary.NativeEndian.Uint32(control[at:]) != crc32.Checksum(control[:at], castagnoli) {
			continue
		}
		if _, err := rand.Read(control[1:6]); err != nil { // the rest is the time
			return err
		}
		binary.NativeEndian.PutUint32(control[at:], crc32.Checksum(control[:at], castagnoli))
		if err := os.WriteFile(path, control, 0o600); err != nil {
			return err
		}
		out, err := s.command("pg_resetwal", "-f", "-D", s.data).CombinedOutput() // the WAL has the identifier, too
		if err != nil {
			return fmt.Errorf("pg_resetwal: %w\n%s", err, out)
		}
		return nil
	}
	return errors.New("pg_control has no sum that can be found")
}

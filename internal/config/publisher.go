package config

import (
	"errors"
	"fmt"
	"time"
)

// Bounds on how often a publisher asks for the tip of a branch, and on how long the git server may take.
const (
	minPublishEvery   = 10 * time.Second
	maxPublishEvery   = 24 * time.Hour
	minPublishTimeout = time.Second
)

// ReadPublisher reads the configuration of publications from a remote git repository.
func ReadPublisher(environ []string) (Publisher, error) {
	var c Publisher
	err := parse(&c, environ)
	return c, errors.Join(err, c.Database.validate(), c.Address.validate(), c.Log.validate(), c.validate())
}

func (c Publisher) validate() error {
	var errs []error
	errs = append(errs, CheckListen("PALMARES_PUBLISH_LISTEN", c.PublishListen), CheckEvery("PALMARES_PUBLISH_EVERY", c.PublishEvery))
	if c.PublishTimeout < minPublishTimeout || c.PublishTimeout > maxPublishEvery {
		errs = append(errs, fmt.Errorf("PALMARES_PUBLISH_TIMEOUT is %v: "+
			"it is how long the server of the repository may take, from %v to %v", c.PublishTimeout, minPublishTimeout, maxPublishEvery))
	}
	if c.PublishMaxMB < 1 || c.PublishMaxMB > 1<<20 {
		errs = append(errs, fmt.Errorf("PALMARES_PUBLISH_MAX_MB is %d: "+
			"it is a number of megabytes, 1 at least", c.PublishMaxMB))
	}
	if c.PublishMaxFiles < 1 || c.PublishMaxFiles > 10_000_000 {
		errs = append(errs, fmt.Errorf("PALMARES_PUBLISH_MAX_FILES is %d: "+
			"it is a number of files, 1 at least", c.PublishMaxFiles))
	}
	return errors.Join(errs...)
}

// CheckEvery returns an error if every is out of bounds as the interval at which a publisher asks for the tip
// of a branch. name is the name of the setting.
func CheckEvery(name string, every time.Duration) error {
	if every < minPublishEvery || every > maxPublishEvery {
		return fmt.Errorf("%s is %v: it is how often the repository is asked, from %v to %v", name, every, minPublishEvery, maxPublishEvery)
	}
	return nil
}

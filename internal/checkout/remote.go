package checkout

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A Remote is a branch of a remote repository, with the credentials to read it.
type Remote struct {
	URL    string // https://…, ssh://… or user@host:path
	Branch string

	User, Token string // over https; without a token it is read anonymously
	CAFile      string // the file with the authorities that are trusted over https; "" for the machine's

	KnownHosts string // over ssh, the file with the keys of known servers
	SSHKey     string // over ssh, the file with our own key
}

var (
	branchName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+@/-]*$`)
	notBranch  = regexp.MustCompile(`\.\.|//|/\.|@\{|\.lock(/|$)|[./]$`)
	scpLike    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[A-Za-z0-9._~/][A-Za-z0-9._~/+@%-]*$`)
	plainURL   = regexp.MustCompile(`^[!-~]+$`)
	plainHost  = regexp.MustCompile(`^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(:[0-9]{1,5})?$`)
	plainPath  = regexp.MustCompile(`^[A-Za-z0-9._/@+,=-]+$`) // in an option of ssh, and in a shell
)

// Check returns what is wrong with a remote; nil for nothing. It does not connect.
func (r Remote) Check() error {
	if !branchName.MatchString(r.Branch) || notBranch.MatchString(r.Branch) {
		return fmt.Errorf("--branch %q is no name of a branch, such as main", r.Branch)
	}
	if scpLike.MatchString(r.URL) {
		return r.checkSSH()
	}
	u, err := url.Parse(r.URL)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "ssh" || u.Opaque != "":
		return errors.New("--from-git takes https://host/path and ssh://user@host/path (or user@host:path) alone: " +
			"neither a folder of this machine nor another protocol is read")
	case !plainURL.MatchString(r.URL) || !plainHost.MatchString(u.Host) || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") == "":
		return errors.New("--from-git is no address of a repository, such as https://git.example.org/editors/catalogue.git")
	}
	if u.Scheme == "https" {
		if u.User != nil {
			return errors.New("--from-git has a user in its address, which every process of this machine can read: " +
				"leave it out, and put the token into the file that PALMARES_PUBLISH_TOKEN_FILE names")
		}
		if strings.ContainsFunc(r.User+r.Token, func(c rune) bool { return c < '!' || c > '~' }) || strings.Contains(r.User, ":") {
			return errors.New("PALMARES_PUBLISH_USER and PALMARES_PUBLISH_TOKEN are words of ASCII, without a space")
		}
		return readable("PALMARES_PUBLISH_CA_FILE", r.CAFile)
	}
	if _, secret := u.User.Password(); secret {
		return errors.New("--from-git has a password in its address: over ssh a key is used, which PALMARES_PUBLISH_SSH_KEY names")
	}
	if user := u.User.Username(); user != "" && !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`).MatchString(user) {
		return errors.New("--from-git has a user that is no name")
	}
	return r.checkSSH()
}

func (r Remote) checkSSH() error {
	if r.KnownHosts == "" {
		return errors.New("PALMARES_PUBLISH_KNOWN_HOSTS is not set: over ssh it names the file with the key of the server, " +
			"as its operator publishes it")
	}
	if r.SSHKey == "" {
		return errors.New("PALMARES_PUBLISH_SSH_KEY is not set: over ssh it names the file of the key that may read the repository")
	}
	return errors.Join(readable("PALMARES_PUBLISH_KNOWN_HOSTS", r.KnownHosts), readable("PALMARES_PUBLISH_SSH_KEY", r.SSHKey))
}

// readable returns why a file that a setting names cannot be used; nil if it can, or if the setting is "".
func readable(setting, path string) error {
	if path == "" {
		return nil
	}
	if !filepath.IsAbs(path) || !plainPath.MatchString(path) {
		return fmt.Errorf("%s is %q: write the whole path, without spaces or quotation marks", setting, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", setting, err)
	}
	return f.Close()
}

// environment returns the whole environment of a git that talks to the remote, so that no setting of the machine, the
// user or this process reaches it. git's settings are passed in it because every user can read arguments, and one of
// the settings is the token.
func (r Remote) environment(home string) []string {
	env := []string{
		"HOME=" + home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=", "GIT_ALLOW_PROTOCOL=https:ssh",
	}
	for _, name := range []string{"PATH", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "TMPDIR"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	settings := [][2]string{
		{"protocol.allow", "never"},
		{"protocol.https.allow", "always"},
		{"protocol.ssh.allow", "always"},
		{"http.followRedirects", "false"}, // the token must not go to another server
		{"http.lowSpeedLimit", "100"},
		{"http.lowSpeedTime", "30"},
		{"http.sslVerify", "true"},
		{"credential.helper", ""},
		{"core.askPass", ""},
		{"core.hooksPath", os.DevNull},
		{"core.fsmonitor", "false"},
		{"core.attributesFile", os.DevNull},
		{"core.bigFileThreshold", "1m"}, // larger ones are not held in memory
		{"core.alternateRefsCommand", ""},
		{"transfer.fsckObjects", "true"},
		{"fetch.fsckObjects", "true"},
		{"transfer.unpackLimit", "1"}, // a fetch always makes one pack file, whatever the number of objects
		{"transfer.bundleURI", "false"},
		{"fetch.recurseSubmodules", "false"},
		{"fetch.writeCommitGraph", "false"},
		{"submodule.recurse", "false"},
		{"gc.auto", "0"},
		{"maintenance.auto", "false"},
		{"pack.threads", "1"},
	}
	if u, err := url.Parse(r.URL); err == nil && u.Scheme == "https" {
		if r.CAFile != "" {
			settings = append(settings, [2]string{"http.sslCAInfo", r.CAFile})
		}
		if r.Token != "" {
			settings = append(settings, [2]string{
				"http.https://" + u.Host + "/.extraHeader",
				"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(r.User+":"+r.Token)),
			})
		}
	} else {
		env = append(env, "GIT_SSH_VARIANT=ssh", "GIT_SSH_COMMAND="+r.ssh())
	}
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}

// ssh returns the command that git runs for ssh. It reads no configuration file, never prompts, and trusts only the
// servers in KnownHosts.
func (r Remote) ssh() string {
	options := []string{
		"BatchMode=yes", "StrictHostKeyChecking=yes", "UserKnownHostsFile=" + r.KnownHosts, "GlobalKnownHostsFile=" + os.DevNull,
		"UpdateHostKeys=no", "VerifyHostKeyDNS=no", "CheckHostIP=no", "IdentitiesOnly=yes", "IdentityFile=" + r.SSHKey, "IdentityAgent=none",
		"PreferredAuthentications=publickey", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no",
		"ProxyCommand=none", "ProxyJump=none", "ControlMaster=no", "ControlPath=none", "RequestTTY=no", "ConnectTimeout=20",
		"ServerAliveInterval=15", "ServerAliveCountMax=3",
	}
	return "ssh -F " + os.DevNull + " -o " + strings.Join(options, " -o ")
}

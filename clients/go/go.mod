module github.com/palmares-hq/palmares/clients/go

go 1.23.0

require (
	github.com/BurntSushi/toml v1.6.0
	golang.org/x/mod v0.27.0
)

module github.com/palmares-hq/palmares/clients/go

go 1.23.0

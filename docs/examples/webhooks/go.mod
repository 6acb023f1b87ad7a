module example.com/webhooks

go 1.22

package client

import (
	"net/http"
	"time"
)

var client = &http.Client{Timeout: 10 * time.Second}

// fetch needs no http.Get, which has no timeout.
func fetch(url string) (*http.Response, error) {
	return client.Get(url)
}

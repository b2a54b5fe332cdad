package client

import (
	"net/http"
	"time"
)

var Client = &http.Client{Timeout: 10 * time.Second}

// Fetch needs no http.Get, which has no timeout.
func Fetch(url string) (*http.Response, error) {
	return Client.Get(url)
}

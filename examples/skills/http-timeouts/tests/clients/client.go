package client

import (
	"net/http"
	"time"
)

func Fetch(url string) (*http.Response, error) {
	return http.Get(url) // want high "without a timeout"
}

// want high "client without"
var Client = &http.Client{}

var Patient = &http.Client{Timeout: time.Minute} // want nothing

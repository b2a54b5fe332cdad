package client

import (
	"net/http"
	"time"
)

func fetch(url string) (*http.Response, error) {
	return http.Get(url) // want high "without a timeout"
}

// want high "client without"
var client = &http.Client{}

var patient = &http.Client{Timeout: time.Minute} // want nothing

package client

import (
	"crypto/tls"
	"net/http"
	"time"

	"golang.org/x/crypto/ssh"
)

// New returns a client for the appliances in the warehouses.
func New() *http.Client {
	return &http.Client{
		Timeout: 20 * time.Second,
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{
				MinVersion:         tls.VersionTLS10, // want medium "outdated tls"
				InsecureSkipVerify: true,             // want high "not verified"
			},
		},
	}
}

func dial(addr string, key ssh.Signer) (*ssh.Client, error) {
	return ssh.Dial("tcp", addr, &ssh.ClientConfig{
		User:            "sync",
		Auth:            []ssh.AuthMethod{ssh.PublicKeys(key)},
		HostKeyCallback: ssh.InsecureIgnoreHostKey(), // want medium "host key"
		Timeout:         10 * time.Second,
	})
}

// Package remote talks to the services of the backend.
package remote

import (
	"crypto/tls"
	"crypto/x509"
	"log"
	"net/http"
	"os"
	"time"

	"golang.org/x/crypto/ssh"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

func NewClient() *http.Client {
	return &http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			// ruleid: tls-verification
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		},
	}
}

func NewStrictClient(pool *x509.CertPool) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			// ok: tls-verification
			TLSClientConfig: &tls.Config{RootCAs: pool, InsecureSkipVerify: false},
		},
	}
}

func Dial(addr string) (*tls.Conn, error) {
	conf := &tls.Config{
		MinVersion: tls.VersionTLS12,
		ServerName: "db.internal",
		// ruleid: tls-verification
		InsecureSkipVerify: true, // the certificate of the database expired
	}
	return tls.Dial("tcp", addr, conf)
}

func DialVerified(addr, name string) (*tls.Conn, error) {
	// InsecureSkipVerify: true is not an option here, the address is public.
	// ok: tls-verification
	return tls.Dial("tcp", addr, &tls.Config{ServerName: name, MinVersion: tls.VersionTLS13})
}

func relax(conf *tls.Config) {
	// ruleid: tls-verification
	conf.InsecureSkipVerify = true
}

func tighten(conf *tls.Config) {
	// ok: tls-verification
	conf.InsecureSkipVerify = false
}

func SSH(user string, key ssh.Signer) *ssh.ClientConfig {
	return &ssh.ClientConfig{
		User: user,
		Auth: []ssh.AuthMethod{ssh.PublicKeys(key)},
		// ruleid: tls-verification
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	}
}

func SSHFixed(user string, key ssh.Signer, host ssh.PublicKey) *ssh.ClientConfig {
	return &ssh.ClientConfig{
		User: user,
		Auth: []ssh.AuthMethod{ssh.PublicKeys(key)},
		// ok: tls-verification
		HostKeyCallback: ssh.FixedHostKey(host),
	}
}

func GRPC(target string) (*grpc.ClientConn, error) {
	// ruleid: tls-verification
	creds := credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})
	return grpc.NewClient(target, grpc.WithTransportCredentials(creds))
}

func warn() {
	if os.Getenv("REMOTE_INSECURE") != "" {
		// ok: tls-verification
		log.Print("REMOTE_INSECURE is ignored: InsecureSkipVerify: true was removed in version 3")
	}
}

func init() {
	// ruleid: tls-verification
	http.DefaultTransport.(*http.Transport).TLSClientConfig = &tls.Config{
		InsecureSkipVerify: true,
	}
}

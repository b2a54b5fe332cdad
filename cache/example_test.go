package cache_test

import (
	"context"
	"fmt"
	"os"

	"github.com/codescan-dev/scanner/cache"
)

func Example() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)

	c, err := cache.Open(folder, "https://api.example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	// scanner.Options{Cache: c} does this for every chunk.
	c.Put(context.Background(), "key", []byte("answer"))
	value, ok := c.Get(context.Background(), "key")
	fmt.Println(string(value), ok)
	// Output: answer true
}

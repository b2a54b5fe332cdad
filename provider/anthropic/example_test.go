package anthropic_test

import (
	"context"
	"fmt"

	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/anthropic"
	"github.com/codescan-dev/scanner/provider/providertest"
)

func Example() {
	// A server on the loopback in place of the public endpoint.
	server := providertest.NewServer(providertest.Script{Rules: []providertest.Rule{
		{Match: "main.go", Content: new("looks good")},
	}})
	defer server.Close()

	client, err := anthropic.New(anthropic.Config{
		BaseURL: server.URL, // on the loopback: no key is needed
		Prices:  provider.Prices{anthropic.DefaultModel: {InputPerMTok: 1, OutputPerMTok: 5}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Complete(context.Background(), provider.Request{
		System:   "You review code.",
		Messages: []provider.Message{{Role: provider.RoleUser, Text: "What do you think of main.go?"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s (%d tokens in, %d out, $%.5f)\n", resp.Text, resp.Usage.InputTokens, resp.Usage.OutputTokens, *resp.Usage.CostUSD)
	// Output: looks good (100 tokens in, 10 out, $0.00015)
}

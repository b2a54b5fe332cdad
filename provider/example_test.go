package provider_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codescan-dev/scanner/provider"
)

// shouting is a custom provider: it needs one method.
type shouting struct{}

func (shouting) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	if err := ctx.Err(); err != nil {
		return provider.Response{}, err
	}
	text := req.Messages[len(req.Messages)-1].Text
	return provider.Response{Text: text + "!", Stop: provider.StopEnd}, nil
}

func ExampleProvider() {
	var p provider.Provider = shouting{}
	resp, err := p.Complete(context.Background(), provider.Request{
		Messages: []provider.Message{{Role: provider.RoleUser, Text: "hello"}},
	})
	fmt.Println(resp.Text, err)
	// Output: hello! <nil>
}

func ExampleRetryPolicy_Retry() {
	limiter := provider.NewLimiter(4)
	policy := provider.RetryPolicy{MaxRetries: 2, InitialDelay: time.Microsecond}

	retries, err := policy.Retry(context.Background(), limiter, nil,
		func(context.Context) error {
			return &provider.Error{Kind: provider.KindRateLimit, Message: "slow down"}
		},
		func(attempt, max int, _ time.Duration, err error) {
			fmt.Printf("retry %d of %d, because of %v\n", attempt, max, err)
		})
	fmt.Printf("failed after %d retries: %v\n", retries, provider.KindOf(err))
	// Output:
	// retry 1 of 2, because of RateLimitError: slow down
	// retry 2 of 2, because of RateLimitError: slow down
	// failed after 2 retries: RateLimitError
}

func ExampleKindOf() {
	err := fmt.Errorf("src/main.go:10-20: %w", &provider.Error{Kind: provider.KindAuth, Message: "key expired", Hint: "make a new key"})
	if provider.KindOf(err) == provider.KindAuth {
		e, _ := errors.AsType[*provider.Error](err)
		fmt.Println("Authentication failed: unauthorized")
		fmt.Println("hint:", e.Hint)
	}
	// Output:
	// Authentication failed: unauthorized
	// hint: make a new key
}

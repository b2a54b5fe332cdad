package openai

import (
	"encoding/json"
	"errors"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

// failure returns the error of an exchange that got no completion, or nil. err
// is what go-openai made of it.
func (x *exchange) failure(err error) error {
	if x.answer.Status == 0 && x.answer.Err == nil {
		if err == nil {
			err = errors.New("the request was not sent")
		}
		// go-openai knows some models and refuses what they do not accept.
		return &provider.Error{Kind: provider.KindInvalid, Message: x.http.Clean(err.Error()), Err: err}
	}
	if err := x.http.Failure(x.answer); err != nil {
		return err
	}
	// An error with status 200 decodes as a completion without choices.
	var top struct {
		Choices []json.RawMessage `json:"choices"`
	}
	if err == nil && json.Unmarshal(x.answer.Body, &top) == nil && len(top.Choices) > 0 {
		return nil
	}
	if e, ok := httperr.ParseObject(x.answer.Body); ok {
		return x.http.Classify(x.answer, e)
	}
	if err != nil {
		return &provider.Error{Kind: provider.KindServer, Status: x.answer.Status, Message: "the answer is not a chat completion", Err: err}
	}
	return nil
}

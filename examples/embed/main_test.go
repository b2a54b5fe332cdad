package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

func TestReview(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var question struct {
			Model    string
			Messages []struct{ Role, Content string }
			Format   map[string]any
		}
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil || r.URL.Path != "/api/chat" || len(question.Messages) != 2 || question.Format == nil {
			http.Error(w, `{"error":"not what Ollama expects"}`, http.StatusBadRequest)
			return
		}
		asked.Add(1)
		content := `{"findings":[]}`
		if strings.Contains(question.Messages[1].Content, "web/cart.js") {
			content = `{"findings":[{"severity":"medium","confidence":"high","title":"Request without a timeout",
				"description":"A server that hangs stops the page.","location":{"path":"examples/shop/web/cart.js","startLine":1,
				"quote":"const response = await fetch(` + "`/price/${line.article}`" + `);"}}]}`
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"message": map[string]string{"role": "assistant", "content": content}, "done_reason": "stop",
			"prompt_eval_count": 900, "eval_count": 40,
		})
	}))
	defer server.Close()

	patch, err := os.Open("../shop/change.diff")
	if err != nil {
		t.Fatal(err)
	}
	defer patch.Close()
	var out strings.Builder
	if err := review(t.Context(), patch, &out, "../skills/http-timeouts", &ollama{url: server.URL}, "m"); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if asked.Load() == 0 {
		t.Error("the model was not asked")
	}
	for _, want := range []string{"examples/shop/web/cart.js:9: medium: Request without a timeout\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &out)
		}
	}
}

func TestReviewFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"model \"m\" not found"}`, http.StatusNotFound)
	}))
	defer server.Close()
	patch, err := os.ReadFile("../shop/change.diff")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = review(t.Context(), strings.NewReader(string(patch)), &out, "../skills/http-timeouts", &ollama{url: server.URL}, "m")
	if err == nil || !strings.Contains(err.Error(), `model "m" not found`) || !strings.Contains(out.String(), "3 were not analyzed") {
		t.Errorf("error %v, output:\n%s\nwant the reason, and that the run ended with it", err, &out)
	}
}

package skill_test

import "github.com/codescan-dev/scanner"

// scriptedFinding is what the scripted model finds in a line with a quote.
type scriptedFinding struct {
	quote              string
	severity           scanner.Severity
	title, description string
}

// script has the findings by skill and fixture. In the others the model finds nothing.
var script = map[string][]scriptedFinding{
	"security-review/go-order-owner": {{
		"a.store.Order(id)", scanner.SeverityHigh, "Order lookup does not check the owner",
		"`a.store.Order(id)` loads any order by the id in the path; the user is looked up but not compared with `order.Owner`. Any user who is logged in reads the orders and addresses of others by counting up ids.",
	}},
	"security-review/py-role-from-client": {{
		"setattr(g.user, field, value)", scanner.SeverityHigh, "Users can give themselves any role",
		"`field` comes from the JSON of the request, and every attribute of the user exists. A request with {\"role\": \"admin\"} makes its sender an administrator.",
	}},
	"security-review/java-zip-entries": {{
		"Files.copy(zip, target)", scanner.SeverityHigh, "Archive entry can be written outside of the themes directory",
		"`themes.resolve(entry.getName())` keeps \"..\" and absolute names. An uploaded archive with an entry ../../webapps/x.jsp writes a file that the server runs.",
	}},
	"security-review/ts-webhook-fails-open": {{
		"the signature cannot be checked", scanner.SeverityHigh, "Delivery passes without a valid signature",
		"`timingSafeEqual` throws if the lengths differ. The handler logs that and goes on to `next()`, so a delivery with a short or missing signature is accepted, and anyone can confirm payments.",
	}},
	"security-review/c-frame-length": {{
		"f->payload, f->length", scanner.SeverityHigh, "Length of a frame is not checked against its buffer",
		"`f->length` is up to 65535 and comes from the peer, `payload` has 512 bytes. A longer frame overwrites what is behind it.",
	}},
	"security-review/change-narrowed-check": {{
		"require_accountant, only:", scanner.SeverityHigh, "Anyone who is logged in can approve invoices",
		"The filter `require_accountant` now covers index and show only. The new action `approve` runs for every user, not just for an accountant.",
	}},
	"security-review/py-exports": {{
		"LIKE '%{request.args", scanner.SeverityHigh, "SQL injection through the search term of exports",
		"`request.args['q']` is part of the SQL text. A quote in it ends the literal, and the rest can read the exports of others.",
	}, {
		"DELETE FROM exports", scanner.SeverityHigh, "Export is deleted without a login",
		"The route lacks `login_required`, which its neighbor has. Anyone can delete every export by its id.",
	}},

	"code-review/go-shadowed-error": {{
		"\t\treturn nil", scanner.SeverityHigh, "Payment is committed though the balance is too low",
		"`err` in the condition shadows the result, and `return nil` sets the result to nil if no row was changed. The deferred function commits the payment without taking the amount from the account.",
	}},
	"code-review/py-late-binding": {{
		"lambda value", scanner.SeverityHigh, "Every check uses the limit of the last rule",
		"The lambda reads `rule` when it is called, after the loop. All checks compare with the limit of the last rule.",
	}},
	"code-review/ts-pages": {{
		"Math.floor(all.length / size)", scanner.SeverityHigh, "Last page is lost if it is not full",
		"`Math.floor` drops the remainder: 25 items in pages of 10 make 2 pages, and `everything` stops after 20 items.",
	}},
	"code-review/java-check-then-act": {{
		"owners.put(seat, customer)", scanner.SeverityHigh, "Two customers can reserve a seat, which is sold twice",
		"Another thread can reserve the seat between `containsKey` and `put`. Both calls return true, and the second customer replaces the first. `putIfAbsent` does both at once.",
	}},
	"code-review/rust-empty-series": {{
		"self.values.len() - 1", scanner.SeverityHigh, "Empty series ends the program",
		"`self.values.len() - 1` overflows if there are no values: it panics in a debug build, and indexes out of range in a release build.",
	}},
	"code-review/c-list-removal": {{
		"free(s);", scanner.SeverityHigh, "Session is read after it was freed",
		"After `free(s)` the loop goes on with `s = s->next`, which reads freed memory. It fails as soon as one session has expired.",
	}},
	"code-review/change-unit": {{
		"windowMs: 60", scanner.SeverityHigh, "Window has 60 milliseconds instead of 60 seconds",
		"The value was renamed from seconds, but not converted. The limiter allows 100 requests in 60 ms, and so limits nothing.",
	}},
	"code-review/java-mailing": {{
		"subscribers.remove(s)", scanner.SeverityHigh, "List is changed while it is iterated",
		"`subscribers.remove(s)` in a loop over `subscribers` fails with a ConcurrentModificationException at the next step.",
	}, {
		`s.address() == ""`, scanner.SeverityHigh, "Empty address is compared by identity",
		"`==` compares the objects. An address that was read is not the same object as the literal, so empty addresses are kept.",
	}},
}

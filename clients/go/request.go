package palmares

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// get reads the JSON of an operation into v.
func (c *Client) get(ctx context.Context, path string, query url.Values, v any, options []CallOption) (Response, error) {
	r, err := c.fetch(ctx, path, query, func(h http.Header, body []byte) error {
		if json.Unmarshal(body, v) != nil {
			return notOfThisAPI(h)
		}
		return nil
	})
	for _, option := range options {
		option(&r)
	}
	return r, err
}

// fetch hands the body of a 200 to decode, that of the store if it has not changed. Only what was decoded is stored.
func (c *Client) fetch(
	ctx context.Context, path string, query url.Values, decode func(http.Header, []byte) error,
) (Response, error) {
	address := c.address(path, query)
	stored := c.load(address)
	var body []byte
	var status int
	h, err := c.retry(ctx, func() (http.Header, error) {
		response, err := c.send(ctx, address, stored)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if body, err = readAll(response.Body); err != nil {
			return nil, err
		}
		status = response.StatusCode
		return response.Header, nil
	})
	if err != nil {
		return Response{}, err
	}
	unchanged := status == http.StatusNotModified
	if unchanged {
		h, body = stored.over(h), stored.Body
	}
	r := responseOf(h)
	r.FromStore = unchanged
	if err := decode(h, body); err != nil {
		return r, err
	}
	if tag := h.Get("ETag"); tag != "" && c.store != nil && !unchanged {
		_ = c.store.Save(c.storeKey(address), entryOf(tag, h, body)) // what could not be stored is asked for again
	}
	return r, nil
}

func (c *Client) address(path string, query url.Values) string {
	if len(query) == 0 {
		return c.base + path
	}
	return c.base + path + "?" + query.Encode()
}

// send sends one request. It returns a 200, or a 304 of what is stored, whose body its caller closes.
func (c *Client) send(ctx context.Context, address string, stored *Entry) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	silence := time.AfterFunc(c.timeout, func() { cancel(errors.New("the service has fallen silent")) })
	end := func() { silence.Stop(); cancel(nil) }
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		end()
		return nil, err
	}
	req.Header.Set("User-Agent", "palmares-go/"+Version)
	req.Header.Set("Accept", "application/json, */*;q=0.5")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if stored != nil {
		req.Header.Set("If-None-Match", stored.ETag)
	}
	response, err := c.http.Do(req)
	if err != nil {
		err = &NetworkError{Err: cause(ctx, err)}
		end()
		return nil, err
	}
	response.Body = &watched{ReadCloser: response.Body, ctx: ctx, silence: silence, timeout: c.timeout, end: end}
	if response.StatusCode == http.StatusOK || (response.StatusCode == http.StatusNotModified && stored != nil) {
		return response, nil
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20)) // what there is of it says enough
	return nil, errorOf(response.StatusCode, response.Header, body)
}

// retry repeats what failed for a moment, within the budget.
func (c *Client) retry(ctx context.Context, attempt func() (http.Header, error)) (http.Header, error) {
	waited := time.Duration(0)
	for n := 0; ; n++ {
		h, err := attempt()
		if err == nil {
			return h, nil
		}
		pause, again := pauseAfter(err, n)
		if !again || n >= c.retries || waited+pause > c.budget || ctx.Err() != nil {
			return nil, err
		}
		waited += pause
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// pauseAfter returns how long to wait before attempt n is repeated, and whether it is.
func pauseAfter(err error, n int) (time.Duration, bool) {
	var refused *Error
	if errors.As(err, &refused) {
		if refused.Status != http.StatusTooManyRequests && refused.Status != http.StatusServiceUnavailable {
			return 0, false
		}
		if refused.RetryAfter > 0 { // a little later, so that not all come back at once
			return refused.RetryAfter + rand.N(refused.RetryAfter/10+1), refused.RetryAfter <= longestWait
		}
	} else if network := (*NetworkError)(nil); !errors.As(err, &network) {
		return 0, false
	}
	most := min(250*time.Millisecond<<min(n, 5), 8*time.Second)
	return most/2 + rand.N(most/2), true
}

// watched is a body that fails once the service has been silent for too long.
type watched struct {
	io.ReadCloser
	ctx     context.Context //nolint:containedctx // of the request that the body is of
	silence *time.Timer
	timeout time.Duration
	end     func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	w.silence.Reset(w.timeout)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &NetworkError{Err: cause(w.ctx, err)}
	}
	return n, err
}

func (w *watched) Close() error {
	w.end()
	return w.ReadCloser.Close()
}

func cause(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil {
		return why
	}
	return err
}

func readAll(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if len(body) > maxBody {
		return nil, fmt.Errorf("palmares: the response has more than %d MB", maxBody>>20)
	}
	return body, err
}

package keys

import "strings"

// callPath is the API call shown with a new key. Its response is small, and it is charged.
const callPath = "/api/v1/tools?limit=3"

// A sample is a program that makes the call.
type sample struct{ Name, Code string }

// samples returns programs that call a URL with a key, one per language. Each is complete: it runs as copied.
func samples(url, key string) []sample {
	fill := strings.NewReplacer("{url}", url, "{key}", key)
	all := []sample{
		{"curl", curlSample}, {"Go", goSample}, {"TypeScript", typescriptSample}, {"Python", pythonSample},
	}
	for i := range all {
		all[i].Code = fill.Replace(all[i].Code)
	}
	return all
}

const curlSample = `curl -i '{url}' \
  -H 'Authorization: Bearer {key}'`

const goSample = `// go run first.go
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
)

func main() {
	req, err := http.NewRequest("GET", "{url}", nil)
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer {key}")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, resp.Header.Get("X-RateLimit-Remaining"))
	fmt.Println(string(body))
}`

const typescriptSample = `// node first.mts
const key: string = "{key}";
const response = await fetch("{url}", {
  headers: { Authorization: "Bearer " + key },
});
console.log(response.status, response.headers.get("X-RateLimit-Remaining"));
console.log(await response.json());`

const pythonSample = `# python3 first.py
import json
from urllib.request import Request, urlopen

request = Request("{url}", headers={"Authorization": "Bearer {key}"})
with urlopen(request) as response:
    print(response.status, response.headers["X-RateLimit-Remaining"])
    print(json.dumps(json.load(response), indent=2, ensure_ascii=False))`

// Command clients calls a node with the client that oapi-codegen generated from its OpenAPI document.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/palmares-hq/palmares/scripts/clients/palmares"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, base string) error {
	client, err := palmares.NewClientWithResponses(base)
	if err != nil {
		return err
	}
	limit, category := 1, "code"
	tools, err := client.ListToolsWithResponse(ctx, &palmares.ListToolsParams{Limit: &limit, Category: &category})
	if err != nil || tools.JSON200 == nil || len(tools.JSON200.Data) != limit {
		return fmt.Errorf("listing tools: %v: %w", tools, err)
	}
	tool, err := client.GetToolWithResponse(ctx, tools.JSON200.Data[0].Slug, nil)
	if err != nil || tool.JSON200 == nil {
		return fmt.Errorf("getting a tool: %v: %w", tool, err)
	}
	fmt.Printf("   Go: %s, %s\n", tool.JSON200.Name, tool.JSON200.Price)
	return nil
}

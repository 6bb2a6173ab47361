// The program of show_feed.py with the generated TypeScript client.
import { ChangesApi, Configuration, ItemsApi, LayoutsApi, QueriesApi } from "./typescript";

export async function showFeed(address: string): Promise<string[]> {
  const service = new Configuration({ basePath: address });
  const items = Array.from({ length: 9 }, (_, number) =>
    JSON.stringify({ key: `k${number}`, width: 3, height: 2 + (number % 3) }));
  await new ItemsApi(service).importItems({
    dataset: "shown", mode: "replace", body: items.join("\n"),
  });
  await new LayoutsApi(service).setLayout({
    dataset: "shown", layout: "phone",
    layoutConfiguration: {
      container: { width: 390, height: 844 },
      section: { kind: "waterfall", columns: 3, columnSpacing: 8 },
    },
  });

  const answer = await new QueriesApi(service).queryElements({
    dataset: "shown", layout: "phone", rect: ["0,0,390,844"],
  });
  const lines: string[] = [];
  if ("elements" in answer) {
    for (const { key, frame } of answer.elements ?? []) {
      lines.push(`${key}: ${frame.width} x ${frame.height} at ${frame.x}, ${frame.y}`);
    }
  }

  const commit = await new ChangesApi(service).commitBatch({
    dataset: "shown", layout: "phone", visible: "0,0,390,844",
    body: JSON.stringify({ op: "resize", key: "k4", width: 3, height: 9 }),
  });
  lines.push(`${commit.layouts[0].recomputedItems} item placed again`);
  return lines;
}

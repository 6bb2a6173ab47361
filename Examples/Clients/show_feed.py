"""Creates a feed with the generated Python client, prints the visible elements, and changes one.

Scripts/generate-clients.sh generates the client and runs this program. The only argument is the
service's address.
"""

import json
import sys

import layoutcache_client as layoutcache

configuration = layoutcache.Configuration(host=sys.argv[1])
with layoutcache.ApiClient(configuration) as client:
    items = [{"key": f"k{number}", "width": 3, "height": 2 + number % 3} for number in range(9)]
    layoutcache.ItemsApi(client).import_items(
        "shown", "\n".join(json.dumps(item) for item in items), mode="replace")

    columns = layoutcache.SectionOptions(kind="waterfall", columns=3, column_spacing=8)
    layoutcache.LayoutsApi(client).set_layout(
        "shown", "phone", layoutcache.LayoutConfiguration(
            container=layoutcache.Container(width=390, height=844), section=columns))

    queries = layoutcache.QueriesApi(client)
    answer = queries.query_elements("shown", "phone", rect=["0,0,390,844"]).actual_instance
    for element in answer.elements:
        frame = element.frame
        print(f"{element.key}: {frame.width} x {frame.height} at {frame.x}, {frame.y}")

    resize = layoutcache.ResizeOperation(op="resize", key="k4", width=3, height=9)
    commit = layoutcache.ChangesApi(client).commit_batch(
        "shown", resize.to_json(), layout="phone", visible="0,0,390,844")
    changed = commit.layouts[0]
    print(f"{changed.recomputed_items} item of {changed.layout} placed again, the content "
          f"{changed.content_size_adjustment.height:+} points longer")

    try:
        queries.query_elements("shown", "none", rect=["0,0,390,844"])
    except layoutcache.ApiException as error:
        print(json.loads(error.body)["detail"])

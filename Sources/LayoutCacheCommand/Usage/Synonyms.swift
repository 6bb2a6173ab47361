/// Names in other programs for this program's commands and options, where spelling gives no
/// hint.
enum Synonyms {
  /// The subcommands meant by a word, by the words before it. Commands that a build lacks are
  /// skipped.
  static let subcommands: [String: [String: [String]]] = [
    "layoutcache": [
      "ls": ["datasets", "layout list"], "list": ["datasets", "layout list"],
      "show": ["inspect", "layout show"], "info": ["inspect"], "stat": ["inspect"],
      "stats": ["inspect"], "status": ["inspect"], "describe": ["inspect"], "count": ["inspect"],
      "rm": ["dataset remove", "layout remove"], "remove": ["dataset remove", "layout remove"],
      "delete": ["dataset remove", "layout remove"], "del": ["dataset remove", "layout remove"],
      "drop": ["dataset remove", "layout remove"],
      "add": ["import"], "load": ["import"], "put": ["import"], "insert": ["import", "update"],
      "new": ["dataset create"], "create": ["dataset create"], "init": ["dataset create"],
      "make": ["dataset create"], "rename": ["dataset rename", "layout rename"],
      "mv": ["dataset rename", "layout rename"], "move": ["update"],
      "get": ["item", "query"], "hittest": ["hit-test"], "pick": ["hit-test"],
      "find": ["item", "query"], "select": ["query"], "elements": ["query"], "visible": ["query"],
      "rect": ["query"],
      "items": ["export", "item"], "keys": ["export"], "dump": ["export"], "cat": ["export"],
      "set": ["layout set"], "configure": ["layout set"], "config": ["layout set"],
      "layouts": ["layout list"],
      "check": ["verify"], "fsck": ["verify"], "test": ["verify"], "validate": ["verify"],
      "vacuum": ["compact"], "shrink": ["compact"], "gc": ["compact"],
      "server": ["serve"], "start": ["serve"], "run": ["serve"], "web": ["serve"],
      "http": ["serve"], "draw": ["render"], "svg": ["render"], "picture": ["render"],
      "image": ["render"], "png": ["render"],
      "edit": ["update"], "change": ["update"], "apply": ["update"], "patch": ["update"],
      "batch": ["update"], "changes": ["log", "query --since"], "history": ["log"],
      "revert": ["undo"], "rollback": ["undo"], "copy": ["backup"],
      "save": ["backup"], "version": ["--version"], "man": ["manual"], "example": ["demo"],
      "sample": ["demo"], "build": ["prepare"], "refresh": ["prepare", "invalidate"],
    ],
    "layoutcache dataset": [
      "ls": ["datasets"], "list": ["datasets"], "show": ["inspect"], "info": ["inspect"],
      "rm": ["dataset remove"], "delete": ["dataset remove"], "drop": ["dataset remove"],
      "new": ["dataset create"], "add": ["dataset create"], "make": ["dataset create"],
      "mv": ["dataset rename"], "move": ["dataset rename"], "import": ["import"],
    ],
    "layoutcache layout": [
      "ls": ["layout list"], "rm": ["layout remove"], "delete": ["layout remove"],
      "drop": ["layout remove"], "add": ["layout set"], "create": ["layout set"],
      "new": ["layout set"], "make": ["layout set"], "update": ["layout set"],
      "get": ["layout show"], "print": ["layout show"], "mv": ["layout rename"],
      "move": ["layout rename"], "prepare": ["prepare"],
    ],
  ]

  /// The options meant by a name. The first that a subcommand has is suggested.
  static let options: [String: [String]] = [
    "--db": ["--database"], "--file": ["--database", "--config"], "--path": ["--database"],
    "--sqlite": ["--database"], "-d": ["--dataset", "--database"], "-l": ["--layout"],
    "-f": ["--format", "--config", "--database"], "-n": ["--limit"], "-r": ["--rect"],
    "-w": ["--width"], "-c": ["--columns", "--config"], "-k": ["--kind", "--key"],
    "-j": ["--json"], "--feed": ["--dataset"], "--name": ["--dataset"],
    "--table": ["--dataset"], "--view": ["--layout"], "--type": ["--kind", "--format"],
    "--mode": ["--append", "--replace"], "--count": ["--limit"], "--max": ["--limit"],
    "--top": ["--limit"], "--out": ["--output"], "--cols": ["--columns"],
    "--gap": ["--column-spacing", "--spacing"], "--gutter": ["--column-spacing"],
    "--margin": ["--inset"], "--padding": ["--inset"], "--id": ["--key"],
    "--viewport": ["--visible", "--rect"], "--bounds": ["--rect"], "--frame": ["--rect"],
    "--overwrite": ["--replace"], "--skip": ["--on-invalid"],
    "--ignore-errors": ["--on-invalid"], "--group": ["--section"],
    "--rtl": ["--layout-direction"], "--horizontal": ["--scroll-direction"],
    "--format": ["--json"], "--page": ["--after"], "--next": ["--after"],
    "--verbose": ["--explain"], "--delimiter": ["--format"], "--separator": ["--format"],
    "--upsert": ["--on-duplicate"], "--update": ["--on-duplicate"], "--title": ["--data"],
    "--fields": ["--data"], "--dry-run": ["--check"], "--force": ["--replace"],
    "-v": ["--version"], "-V": ["--version"],
  ]
}

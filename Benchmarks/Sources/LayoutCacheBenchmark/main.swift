import BenchmarkCommands

BenchmarkProgram.main()

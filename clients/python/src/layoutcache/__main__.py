from ._service import main

main()

#if Service
  import Hummingbird
#endif

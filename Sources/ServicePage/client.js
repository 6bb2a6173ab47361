// comes

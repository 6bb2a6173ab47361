/// Why a text gives no number of the wanted kind.
enum DecimalDefect: Error {
  case notANumber
  case notAnInteger
  case tooLarge
}

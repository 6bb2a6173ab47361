/// Returns a time in the format of RFC 3339: UTC, to the millisecond.
///
/// - Parameter milliseconds: The milliseconds since the beginning of 1970.
/// - Returns: `2026-11-21T23:15:00.000Z`.
package func timeText(millisecondsSince1970 milliseconds: Int64) -> String {
  let (days, rest) = milliseconds.flooredDivision(by: 86_400_000)
  let (year, month, day) = civilDate(daysSince1970: days)
  let fields = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60]
  return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
    + fields.map { padded($0, 2) }.joined(separator: ":") + ".\(padded(rest % 1_000, 3))Z"
}

/// Returns the date of the Gregorian calendar. It is computed in years that begin with March,
/// so that a leap day is the last of its year.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
private func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let monthFromMarch = (5 * dayOfYear + 2) / 153
  let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = self % divisor
    return remainder < 0
      ? (self / divisor - 1, remainder + divisor) : (self / divisor, remainder)
  }
}

private func padded(_ number: Int64, _ count: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}

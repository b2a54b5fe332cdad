package com.acme

import java.math.BigDecimal
import java.time.LocalDate
import java.time.format.DateTimeFormatter

class Report(private val rows: List<Row>) {
    private val format = DateTimeFormatter.ofPattern("dd.MM.YYYY") // want medium "year of the week"

    fun title(): String = "Report of " + LocalDate.now().format(format)

    fun margin(): BigDecimal {
        var sum = BigDecimal(0.05) // want medium "binary float"
        for (row in rows) {
            if (row.value == Double.NaN) { // want medium "nan"
                continue
            }
            sum += BigDecimal.valueOf(row.value)
        }
        return sum
    }

    fun send(target: Target) {
        try {
            target.send(title(), margin())
        } catch (e: Exception) { // a report more or less
        }
    }
}

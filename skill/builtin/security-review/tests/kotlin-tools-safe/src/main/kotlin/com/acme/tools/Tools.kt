package com.acme.tools

import com.auth0.jwt.JWT
import com.auth0.jwt.algorithms.Algorithm
import java.io.File

class Tools(private val work: File, private val key: ByteArray) {
    fun disk(dir: File): String {
        val process = ProcessBuilder("du", "-sh", dir.path).directory(work).start()
        return process.inputStream.bufferedReader().readText()
    }

    fun uptime(): String = Runtime.getRuntime().exec("uptime").inputStream.bufferedReader().readText()

    fun token(user: String): String =
        JWT.create().withSubject(user).withIssuer("tools").sign(Algorithm.HMAC256(key))
}

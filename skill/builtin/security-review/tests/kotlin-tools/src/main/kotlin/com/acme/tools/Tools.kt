package com.acme.tools

import com.auth0.jwt.JWT
import com.auth0.jwt.algorithms.Algorithm
import java.io.File
import java.net.URL
import javax.servlet.http.HttpServletRequest

class Tools(private val work: File) {
    fun disk(dir: String): String {
        val process = Runtime.getRuntime().exec("du -sh $dir") // want high "command"
        return process.inputStream.bufferedReader().readText()
    }

    fun preview(request: HttpServletRequest): ByteArray {
        val address = request.getParameter("address")
        return URL(address).readBytes() // want high "address that the server calls"
    }

    fun token(user: String): String =
        JWT.create().withSubject(user).sign(Algorithm.HMAC256("s3cr3t-of-tools")) // want high "key of tokens"
}

package com.acme.reports;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.sql.DataSource;

public class ReportServlet extends HttpServlet {
    private DataSource source;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String owner = request.getParameter("owner");
        String sql = "SELECT file FROM reports WHERE owner = '" + owner + "'"; // want high "put together"
        try (Connection c = source.getConnection(); Statement st = c.createStatement()) {
            ResultSet rs = st.executeQuery(sql); // want high "query"
            if (!rs.next()) {
                response.getWriter().println("<p>No report of " + owner + "</p>"); // want high "without escaping"
                return;
            }
            File report = new File("/srv/reports", request.getParameter("file")); // want high "chooses the file"
            Files.copy(report.toPath(), response.getOutputStream());
        } catch (SQLException e) {
            response.sendError(500);
        }
    }
}

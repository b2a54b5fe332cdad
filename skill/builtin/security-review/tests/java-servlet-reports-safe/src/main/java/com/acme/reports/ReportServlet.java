package com.acme.reports;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.sql.DataSource;

public class ReportServlet extends HttpServlet {
    private static final String TABLE = "reports";
    private static final Path ROOT = Path.of("/srv/reports");
    private DataSource source;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String sql = "SELECT id FROM " + TABLE + " WHERE owner = ?";
        try (Connection c = source.getConnection(); PreparedStatement st = c.prepareStatement(sql)) {
            st.setString(1, request.getParameter("owner"));
            ResultSet rs = st.executeQuery();
            if (!rs.next()) {
                response.sendError(404, "no such report");
                return;
            }
            Files.copy(ROOT.resolve(rs.getLong("id") + ".pdf"), response.getOutputStream());
        } catch (SQLException e) {
            response.sendRedirect("/reports?error=query");
        }
    }
}

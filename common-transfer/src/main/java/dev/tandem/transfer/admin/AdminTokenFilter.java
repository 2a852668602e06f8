package dev.tandem.transfer.admin;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets a request pass that shows the admin token; answers 401 otherwise, as problem+json. */
public final class AdminTokenFilter extends OncePerRequestFilter {

    private static final String BEARER = "Bearer ";

    private final AdminToken token;

    public AdminTokenFilter(AdminToken token) {
        this.token = token;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String shown = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (shown != null && shown.startsWith(BEARER) && token.matches(shown.substring(BEARER.length()))) {
            chain.doFilter(request, response);
            return;
        }
        response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.getWriter().write("""
                        {"title":"Unauthorized","status":401,"detail":"send the admin token: Authorization: Bearer TOKEN"}""");
    }
}

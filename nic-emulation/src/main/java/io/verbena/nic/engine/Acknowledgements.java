package io.verbena.nic.engine;

import io.verbena.nic.port.Link;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import java.util.ArrayList;
import java.util.List;

/** The queue pairs that have an acknowledgement to send. Used under the baton. */
final class Acknowledgements {
    private final TransportServices services;
    private List<QpContext> due = new ArrayList<>();
    private List<QpContext> sending = new ArrayList<>();

    Acknowledgements(TransportServices services) {
        this.services = services;
    }

    boolean isEmpty() {
        return due.isEmpty();
    }

    /** A queue pair has an acknowledgement to send. */
    void add(QpContext qp) {
        if (!qp.acknowledgementListed) {
            qp.acknowledgementListed = true;
            due.add(qp);
        }
    }

    void clear() {
        due.clear();
    }

    /**
     * Sends those that are due; who finds no room stays on the list.
     *
     * @return how many
     */
    int send() {
        if (due.isEmpty()) {
            return 0;
        }
        List<QpContext> now = due;
        due = sending;
        sending = now;
        int sent = 0;
        for (int i = 0; i < now.size(); i++) {
            QpContext qp = now.get(i);
            qp.acknowledgementListed = false;
            Path path = qp.path();
            Link link = path == null ? null : path.link();
            if (path != null && link != null && link.state() == Link.State.UP) {
                if (send(qp, link)) {
                    services.touch(path);
                    sent++;
                } else {
                    add(qp);
                }
            }
        }
        now.clear();
        return sent;
    }

    private boolean send(QpContext qp, Link link) {
        try {
            return qp.responder().acknowledge(link);
        } catch (RuntimeException | Error e) {
            services.broken(qp, e);
            return true;
        }
    }
}

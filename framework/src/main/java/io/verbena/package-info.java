/**
 * What a service embeds: node, tenants, channels, inboxes, remote memory and RPC; with the scheduler layer of
 * multiplexing, merging and admission, adaptive polling and rate control in the packages below.
 */
@NullMarked
package io.verbena;

import org.jspecify.annotations.NullMarked;
